/**
 * Markdown as it reads. No HTML of the file's is rendered; a link opens apart. Pictures of the folder are shown, those
 * from elsewhere are named and never fetched.
 */
import { useEffect, useMemo, useRef, useState } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { linkedFrom } from "../parts/paths";
import { usePicture } from "./pictures";

type Props = { text: string; path: string; round: number };

export default function Preview({ text, path, round }: Props) {
  const components = useMemo<Components>(
    () => ({
      a: ({ href, children }) => (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
          {children}
        </a>
      ),
      img: ({ alt, src }) => <Linked alt={alt ?? ""} source={String(src ?? "")} from={path} round={round} />,
    }),
    [path, round],
  );
  return (
    <div className="preview" tabIndex={0} role="region" aria-label="Preview">
      <Markdown remarkPlugins={[remarkGfm]} components={components}>
        {text}
      </Markdown>
    </div>
  );
}

type LinkedProps = { alt: string; source: string; from: string; round: number };

/** A picture of the folder, fetched when it comes near what is seen. */
function Linked({ alt, source, from, round }: LinkedProps) {
  const path = linkedFrom(from, source);
  const place = useRef<HTMLSpanElement>(null);
  const [near, setNear] = useState(false);
  const [broken, setBroken] = useState(false);
  const fetched = usePicture(near ? path : null, round);
  useEffect(() => {
    if (!place.current) return;
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setNear(true), {
      rootMargin: "400px",
    });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  if (fetched.phase === "ready" && !broken) {
    return <img src={fetched.address} alt={alt} title={path ?? ""} onError={() => setBroken(true)} />;
  }
  const named = alt || source;
  return (
    <span className="picture" ref={place}>
      [picture: {named}
      {path === null ? ", which isn't of this folder and wasn't fetched" : ""}
      {fetched.phase === "failed" || broken ? `, which can't be shown: ${whyNot(fetched)}` : ""}]
    </span>
  );
}

function whyNot(fetched: ReturnType<typeof usePicture>): string {
  return fetched.phase === "failed" ? fetched.error.message : "it is damaged.";
}
