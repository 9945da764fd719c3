/** What goes wrong with one request. */
export type RestFault =
  /** Answer with this, without doing anything. `body` is JSON unless `html` is set. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body?: unknown;
      readonly html?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** An error of the platform's own list. */
  | { readonly kind: "error"; readonly status: number; readonly code: number }
  /** Too many requests: wait so many seconds. */
  | {
      readonly kind: "rate_limit";
      readonly retryAfterS: number;
      readonly global?: boolean;
      readonly scope?: "user" | "global" | "shared";
      /** Names the bucket, as a first refusal may; without it the client learns nothing to remember. */
      readonly bucket?: string;
    }
  /** Do it, and then: never answer, tear the connection, or answer 502. */
  | { readonly kind: "commit_and"; readonly after: "hang" | "tear" | "fail" }
  /** Tear the connection without doing anything. */
  | { readonly kind: "tear" }
  /** Take the request and never answer, without doing anything. */
  | { readonly kind: "hang" }
  /** Do it after so many milliseconds. */
  | { readonly kind: "delay"; readonly ms: number };

interface Planned {
  readonly route: string;
  readonly fault: RestFault;
  times: number;
  skip: number;
}

/** Faults that wait for requests of a route, such as `POST /channels/:id/messages`; `*` is any route. */
export class RestFaults {
  readonly #planned: Planned[] = [];

  /** Let the next `times` requests of a route fail so, after `skip` good ones. */
  add(route: string, fault: RestFault, options: { readonly times?: number; readonly skip?: number } = {}): void {
    this.#planned.push({ route, fault, times: options.times ?? 1, skip: options.skip ?? 0 });
  }

  clear(): void {
    this.#planned.length = 0;
  }

  /** The fault of this request; null when it goes well. */
  take(route: string): RestFault | null {
    const planned = this.#planned.find((one) => one.times > 0 && (one.route === route || one.route === "*"));
    if (planned === undefined) return null;
    if (planned.skip > 0) {
      planned.skip -= 1;
      return null;
    }
    planned.times -= 1;
    return planned.fault;
  }
}
