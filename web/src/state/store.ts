/** A value that views follow, apart from them. */
import { useSyncExternalStore } from "react";
import { Refused } from "../api/call";

export class Store<T> {
  #value: T;
  #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** What was fetched: the last value stays while a newer one is on its way or can't be had. */
export type Fetched<T> = { value: T | null; error: Refused | null; loading: boolean };

export class Resource<T> extends Store<Fetched<T>> {
  #running: Promise<void> | null = null;
  #again = false;

  constructor(private readonly load: () => Promise<T>) {
    super({ value: null, error: null, loading: true });
  }

  /** Fetch it anew; ends when nothing is older than this call. What is asked meanwhile is fetched once more, after. */
  readonly refresh = (): Promise<void> => {
    if (this.#running) this.#again = true;
    this.#running ??= this.#run();
    return this.#running;
  };

  async #run(): Promise<void> {
    do {
      this.#again = false;
      this.set({ ...this.get(), loading: true });
      try {
        this.set({ value: await this.load(), error: null, loading: false });
      } catch (error) {
        this.set({ ...this.get(), error: asRefused(error), loading: false });
      }
    } while (this.#again);
    this.#running = null;
  }
}

export function asRefused(error: unknown): Refused {
  return error instanceof Refused ? error : new Refused("INTERNAL", "The page met a fault.", String(error));
}
