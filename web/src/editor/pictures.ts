/**
 * A picture of the workspace as an address that an <img> takes, and that is no page of this origin.
 *
 * The bytes' type was told by the bytes themselves. A drawing (SVG) may hold scripts: in an <img> they never run, and its
 * address is a `data:` one, which has an origin of its own also where somebody opens it in a tab.
 */
import { useEffect, useState } from "react";
import { Refused } from "../api/call";
import { usePlace } from "../shell/place";
import { asRefused } from "../state/store";

const DRAWING = "image/svg+xml";
const SHOWN = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/x-icon",
  DRAWING,
]);

export type Fetched = { phase: "loading" } | { phase: "ready"; address: string } | { phase: "failed"; error: Refused };

/** The picture at a path, fetched anew when `round` changes; nothing while there is no path. */
export function usePicture(path: string | null, round: number): Fetched {
  const { room } = usePlace();
  const [fetched, setFetched] = useState<Fetched>({ phase: "loading" });
  useEffect(() => {
    if (path === null) return;
    let address = "";
    let left = false;
    const show = async (): Promise<void> => {
      const made = await addressOf(await room.content(path));
      if (left) return URL.revokeObjectURL(made);
      address = made;
      setFetched({ phase: "ready", address });
    };
    show().catch((error: unknown) => left || setFetched({ phase: "failed", error: asRefused(error) }));
    return () => {
      left = true;
      if (address) URL.revokeObjectURL(address);
    };
  }, [room, path, round]);
  return fetched;
}

async function addressOf({ bytes, picture }: { bytes: ArrayBuffer; picture: string }): Promise<string> {
  if (!SHOWN.has(picture)) throw new Refused("INVALID_INPUT", "It is no picture any more.", "Open the file anew.");
  const blob = new Blob([bytes], { type: picture });
  return picture === DRAWING ? await asData(blob) : URL.createObjectURL(blob);
}

function asData(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(blob);
  });
}
