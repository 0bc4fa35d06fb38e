/** A picture, fitting the pane or in its own size, on squares by which what is transparent is seen. */
import { useState } from "react";
import { grouped, sizeOf } from "../parts/figures";
import { nameOf } from "../parts/paths";
import { Empty, Failure, Loading } from "../parts/states";
import type { FileState, OpenFile } from "./files";
import { usePicture } from "./pictures";

type Pixels = { width: number; height: number };

type Props = { file: OpenFile; state: FileState; named?: boolean };

/** `named`: its bar says which file it is. */
export function Picture({ file, state, named = false }: Props) {
  const fetched = usePicture(file.path, state.round);
  const [fits, setFits] = useState(true);
  const [pixels, setPixels] = useState<Pixels | "broken" | null>(null);
  if (fetched.phase === "loading") return <Loading what="the picture" />;
  if (fetched.phase === "failed") return <Failure error={fetched.error} retry={() => void file.load()} />;
  return (
    <div className="picture-view">
      <div className="document-bar">
        {named ? <span className="document-path">{file.shown}</span> : null}
        <span className={named ? "quiet" : "grow quiet"}>
          {state.picture} · {pixels && pixels !== "broken" ? `${sizeInPixels(pixels)} · ` : ""}
          <span title={`${grouped(state.size)} bytes`}>{sizeOf(state.size)}</span>
          {state.dirty ? " · as saved, without your changes" : ""}
        </span>
        <div className="segments" role="group" aria-label="Size">
          <button type="button" aria-pressed={fits} onClick={() => setFits(true)}>
            Fit
          </button>
          <button type="button" aria-pressed={!fits} onClick={() => setFits(false)}>
            100 %
          </button>
        </div>
      </div>
      {pixels === "broken" ? (
        <Empty icon="warning" title="The picture can't be shown">
          <p>It begins as {state.picture}, and the browser can't read the rest: it is damaged, or only half written.</p>
        </Empty>
      ) : null}
      <div
        className="picture-ground"
        data-fits={fits}
        hidden={pixels === "broken"}
        tabIndex={0}
        role="region"
        aria-label="Picture"
      >
        <img
          src={fetched.address}
          alt={nameOf(file.shown)}
          draggable={false}
          onLoad={({ currentTarget: shown }) => setPixels({ width: shown.naturalWidth, height: shown.naturalHeight })}
          onError={() => setPixels("broken")}
        />
      </div>
    </div>
  );
}

function sizeInPixels({ width, height }: Pixels): string {
  return width && height ? `${grouped(width)} × ${grouped(height)} pixels` : "a drawing without a size of its own";
}
