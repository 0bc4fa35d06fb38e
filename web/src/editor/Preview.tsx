/** Markdown as it reads. No HTML of the file's is rendered; a link opens apart; pictures from elsewhere aren't fetched. */
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ alt, src }) => <span className="picture">[picture: {alt || String(src ?? "")}]</span>,
};

export default function Preview({ text }: { text: string }) {
  return (
    <div className="preview" tabIndex={0} role="region" aria-label="Preview">
      <Markdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
        {text}
      </Markdown>
    </div>
  );
}
