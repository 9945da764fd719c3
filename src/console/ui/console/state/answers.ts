import type { BudgetsAnswer } from "../../../../observe/budgets-operation.ts";
import type { CostsAnswer } from "../../../../observe/costs-operation.ts";
import type { LinesAnswer } from "../../../../observe/lines-operation.ts";
import type { NoticesAnswer } from "../../../../observe/notices-operation.ts";
import type { PacketsAnswer } from "../../../../observe/packets-operation.ts";
import type { PeopleAnswer } from "../../../../observe/people-operation.ts";
import type { StatusAnswer } from "../../../../observe/status.ts";
import type { ApprovalsAnswer } from "../../../../operations/approvals.ts";
import type { ForgetAnswer } from "../../../../operations/forget.ts";
import type { HaltAnswer } from "../../../../operations/halt.ts";
import type { PausesAnswer } from "../../../../operations/pause.ts";
import type { ScheduleAnswer } from "../../../../operations/schedule.ts";
import type { SessionsAnswer } from "../../../../operations/sessions.ts";
import type { TrustAnswer } from "../../../../operations/trust.ts";
import type { TurnsAnswer } from "../../../../operations/turns.ts";
import { isRecord } from "../../state/wire-guards.ts";

/*
 * Results are checked by the server against what each operation declares; here only the shape is looked at that tells one
 * answer from another, as everywhere on the wire.
 */

/** Whether it is the answer of `status`. */
export function isStatus(value: unknown): value is StatusAnswer {
  return holds(value, { surfaces: Array.isArray, hosts: Array.isArray, paused: Array.isArray, today: isRecord, store: isRecord });
}

/** Whether it is the answer of `people`. */
export function isPeople(value: unknown): value is PeopleAnswer {
  return holds(value, { people: Array.isArray, counts: isRecord });
}

/** Whether it is the answer of `packets`. */
export function isPackets(value: unknown): value is PacketsAnswer {
  return holds(value, { packets: Array.isArray });
}

/** Whether it is the answer of `notices`. */
export function isNotices(value: unknown): value is NoticesAnswer {
  return holds(value, { notices: Array.isArray });
}

/** Whether it is the answer of `budgets`. */
export function isBudgets(value: unknown): value is BudgetsAnswer {
  return holds(value, { budgets: Array.isArray, unpricedModels: Array.isArray });
}

/** Whether it is the answer of `costs`. */
export function isCosts(value: unknown): value is CostsAnswer {
  return holds(value, { rows: Array.isArray, total: isRecord });
}

/** Whether it is the answer of `lines`. */
export function isLines(value: unknown): value is LinesAnswer {
  return holds(value, { lines: Array.isArray });
}

/** Whether it is the answer of `trust` or `block`. */
export function isTrust(value: unknown): value is TrustAnswer {
  return isRecord(value) && typeof value["to"] === "string" && typeof value["done"] === "boolean";
}

/** Whether it is the answer of `forget`. */
export function isForget(value: unknown): value is ForgetAnswer {
  return holds(value, { counts: isRecord }) && isRecord(value) && typeof value["bytesGone"] === "boolean";
}

/** Whether it is the answer of `pause` or `resume`. */
export function isPauses(value: unknown): value is PausesAnswer {
  return holds(value, { paused: Array.isArray });
}

/** Whether it is the answer of `approvals`. */
export function isApprovals(value: unknown): value is ApprovalsAnswer {
  return holds(value, { waiting: Array.isArray, kept: Array.isArray });
}

/** Whether it is the answer of `sessions`. */
export function isSessions(value: unknown): value is SessionsAnswer {
  return holds(value, { sessions: Array.isArray, entries: Array.isArray });
}

/** Whether it is the answer of `turns`. */
export function isTurns(value: unknown): value is TurnsAnswer {
  return holds(value, { turns: Array.isArray });
}

/** Whether it is the answer of `schedule`. */
export function isSchedule(value: unknown): value is ScheduleAnswer {
  return holds(value, { schedules: Array.isArray });
}

/** Whether it is the answer of `halt`. */
export function isHalt(value: unknown): value is HaltAnswer {
  return isRecord(value) && typeof value["ended"] === "number";
}

function holds(value: unknown, fields: Readonly<Record<string, (field: unknown) => boolean>>): boolean {
  return isRecord(value) && Object.entries(fields).every(([name, fits]) => fits(value[name]));
}
