/** A file that is no text and no picture: what it is, and what can be done with it. */
import { grouped, sizeOf } from "../parts/figures";
import { Empty } from "../parts/states";
import type { FileState, OpenFile } from "./files";

export function Binary({ file, state }: { file: OpenFile; state: FileState }) {
  return (
    <>
      <div className="document-bar">
        <span className="document-path">{file.shown}</span>
        <span className="chip">read only</span>
      </div>
      <Empty icon="binary" title={`A binary file${state.binary ? `: ${state.binary}` : ""}`}>
        <p>
          {sizeOf(state.size)}
          {state.size >= 1000 ? ` (${grouped(state.size)} bytes)` : ""}. It holds no text, so there is nothing to read
          or edit here.
        </p>
        <p>It can be renamed, moved and deleted in the tree, and what is done to it stands in the history.</p>
      </Empty>
    </>
  );
}
