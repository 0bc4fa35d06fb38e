/** Lines of a hunk with their numbers, before and after. Screen readers hear the sign. */
import type { Line } from "./diff";

const SIGNS = { added: "+", removed: "−", kept: " ", plain: "" } as const;

export function DiffLines({ lines }: { lines: Line[] }) {
  return (
    <div className="diff" tabIndex={0} role="group" aria-label="Lines">
      <table>
        <tbody>
          {lines.map((line, at) => (
            <tr key={at} className={`line-${line.kind}`}>
              <td className="number">{line.old ?? ""}</td>
              <td className="number">{line.new ?? ""}</td>
              <td className="sign">{SIGNS[line.kind]}</td>
              <td className="text">{line.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
