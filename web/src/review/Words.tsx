/** The agent's own words: text, and nothing but text, whatever stands in it. */
export function Words({ text, asker }: { text: string; asker: string | undefined }) {
  if (!text.trim()) return null;
  return (
    <section className="words" aria-labelledby="words-title">
      <h3 id="words-title">In {asker ? `${asker}'s` : "the agent's"} own words, which nobody checked</h3>
      <pre>{text}</pre>
    </section>
  );
}
