import type { ReadonlySignal, Signal } from "@preact/signals";
import { signal } from "@preact/signals";
import type { Clock } from "../../../../foundation/clock.ts";
import { TaskGroup } from "../../../../foundation/task-group.ts";
import type { BudgetsAnswer } from "../../../../observe/budgets-operation.ts";
import type { CostsAnswer } from "../../../../observe/costs-operation.ts";
import type { NoticesAnswer } from "../../../../observe/notices-operation.ts";
import type { PacketsAnswer } from "../../../../observe/packets-operation.ts";
import type { PeopleAnswer, PersonEntry } from "../../../../observe/people-operation.ts";
import type { StatusAnswer } from "../../../../observe/status.ts";
import type { ScheduleView } from "../../../../operations/schedule.ts";
import type { Page } from "../../state/page.ts";
import { isBudgets, isCosts, isNotices, isPackets, isPeople, isStatus } from "./answers.ts";
import { Backstage } from "./backstage.ts";
import type { OperationsClient, Told } from "./operations-client.ts";
import type { Route } from "./route.ts";
import { Watch } from "./watch.ts";

/** A question that stands over the page until it is answered or closed. */
export type Ask =
  | { readonly kind: "pause" | "halt" }
  | { readonly kind: "unschedule"; readonly schedule: ScheduleView }
  | { readonly kind: "trust" | "untrust" | "block" | "unblock" | "forget"; readonly person: PersonEntry }
  | { readonly kind: "lines"; readonly person: PersonEntry; readonly character: string };

/** What the house stands on. */
export interface HouseNeeds {
  readonly client: OperationsClient;
  readonly clock: Clock;
  /** The room's page that is shown now. */
  readonly page: ReadonlySignal<Page>;
  readonly route: Signal<Route>;
  /** Up to when notices were put aside in this browser. */
  readonly noticesReadMs: Signal<number>;
  /** Whether anybody looks at the window. */
  readonly isVisible: () => boolean;
  /** Show another room. */
  readonly visit: (room: string) => void;
  readonly onFailure: (error: unknown) => void;
}

const JOIN_MS = 1_000;
/** People that one list shows; more are found by a part of their name. */
export const MAX_PEOPLE_SHOWN = 200;
const PACKETS_SHOWN = 60;
const COSTS_SHOWN = 30;
const MAX_COSTS = 500;

/** What operators have beside the rooms: their pages, what those pages know, and the questions they ask. */
export class House implements AsyncDisposable {
  readonly route: Signal<Route>;
  readonly page: ReadonlySignal<Page>;
  readonly ask: Signal<Ask | null> = signal(null);
  /** What was done last, for whoever cannot see it happen. */
  readonly said: Signal<string> = signal("");
  /** Notices up to this moment were put aside. */
  readonly noticesReadMs: Signal<number>;
  /** What People is narrowed to. */
  readonly find: Signal<string> = signal("");
  readonly status: Watch<StatusAnswer>;
  readonly notices: Watch<NoticesAnswer>;
  readonly people: Watch<PeopleAnswer>;
  readonly packets: Watch<PacketsAnswer>;
  readonly budgets: Watch<BudgetsAnswer>;
  /** By what costs are summed on Budgets. */
  readonly costsBy: Signal<CostsAnswer["by"]> = signal("space");
  readonly costs: Watch<CostsAnswer>;
  /** What people cost, for People. */
  readonly personCosts: Watch<CostsAnswer>;
  /** Agents: their sessions, what they are at, what they ask. */
  readonly backstage: Backstage;
  /** This browser's clock, for what may happen only after a while. */
  readonly clock: Clock;
  readonly #needs: HouseNeeds;
  readonly #tasks: TaskGroup;

  constructor(needs: HouseNeeds) {
    const { client, clock, page } = needs;
    this.#needs = needs;
    this.clock = clock;
    this.route = needs.route;
    this.page = page;
    this.noticesReadMs = needs.noticesReadMs;
    this.#tasks = new TaskGroup({ clock, joinMs: JOIN_MS, onFailure: needs.onFailure });
    const watch = <T>(read: (signal: AbortSignal) => Promise<Told<T>>): Watch<T> =>
      new Watch({ read, clock, tasks: this.#tasks, isAwake: () => needs.isVisible() && page.peek().isLive.peek() });
    this.status = watch((ends) => client.run({ name: "status" }, isStatus, ends));
    this.notices = watch((ends) => client.run({ name: "notices", args: { limit: 100 } }, isNotices, ends));
    this.people = watch((ends) => client.run({ name: "people", args: this.#peopleArgs() }, isPeople, ends));
    this.budgets = watch((ends) => client.run({ name: "budgets" }, isBudgets, ends));
    this.costs = watch((ends) => client.run({ name: "costs", args: { by: this.costsBy.peek(), limit: COSTS_SHOWN } }, isCosts, ends));
    this.personCosts = watch((ends) => client.run({ name: "costs", args: { by: "person", limit: MAX_COSTS } }, isCosts, ends));
    this.packets = watch((ends) => client.run({ name: "packets", args: { limit: PACKETS_SHOWN } }, isPackets, ends));
    this.backstage = new Backstage({
      watch,
      run: (call, isValue, ends) => client.run(call, isValue, ends),
      act: (call, isValue, then) => this.act(call, isValue, then),
    });
  }

  /** Whether acts reach the runtime now. */
  get isLive(): boolean {
    return this.page.value.isLive.value;
  }

  /** Go to a page. The address follows. */
  go(route: Route): void {
    this.route.value = route;
  }

  /** Show a room on the stage. */
  visit(room: string): void {
    this.#needs.visit(room);
    this.go({ page: "stage", item: null });
  }

  /** Run an operation for somebody who waits for it, and tell what came of it. */
  act<T>(
    call: { readonly name: string; readonly args?: object },
    isValue: (value: unknown) => value is T,
    then: (told: Told<T>) => void,
  ): void {
    this.#tasks.start(async (ends) => {
      const told = await this.#needs.client.run(call, isValue, ends);
      if (!ends.aborted) then(told);
    });
  }

  /** Look at everything anew that an act may have changed. */
  lookAgain(): void {
    for (const watch of this.#watches) watch.ask();
  }

  /** Forget what was told: a page could not be drawn from it. */
  forget(): void {
    for (const watch of this.#watches) watch.forget();
  }

  /** End all looking; nothing is asked after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tasks.close();
  }

  get #watches(): readonly Pick<Watch<unknown>, "ask" | "forget">[] {
    return [this.status, this.people, this.notices, this.packets, this.budgets, this.costs, this.personCosts, ...this.backstage.watches];
  }

  #peopleArgs(): object {
    const find = this.find.peek().trim();
    return find === "" ? { limit: MAX_PEOPLE_SHOWN } : { limit: MAX_PEOPLE_SHOWN, find };
  }
}
