/** What git holds of a file, looked at anew after each save, each change of it by others, and whatever git is told. */
import { useEffect } from "react";
import { usePlace } from "../shell/place";
import { type Fetched, type Resource, useStore } from "../state/store";
import type { OpenFile } from "./files";

/** Null where the folder is in no repository. */
export function useLooked<T>(file: OpenFile, resource: Resource<T>): Fetched<T> | null {
  const git = useStore(usePlace().room.git).value;
  const { base, theirs } = useStore(file);
  const looked = useStore(resource);
  useEffect(() => {
    if (git && base.version) void resource.refresh();
  }, [git, base.version, theirs, resource]);
  return git ? looked : null;
}
