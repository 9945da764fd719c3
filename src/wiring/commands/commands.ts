import { budgets } from "../../observe/budgets-operation.ts";
import { costs } from "../../observe/costs-operation.ts";
import { audit } from "../../observe/audit-operation.ts";
import { decisions } from "../../observe/decisions-operation.ts";
import { lines } from "../../observe/lines-operation.ts";
import { notices } from "../../observe/notices-operation.ts";
import { packets } from "../../observe/packets-operation.ts";
import { people } from "../../observe/people-operation.ts";
import { status } from "../../observe/status.ts";
import { approvals } from "../../operations/approvals.ts";
import { trigger, triggers } from "../../operations/triggers-operation.ts";
import { why } from "../../observe/why-operation.ts";
import { backup, restore } from "../../operations/backup.ts";
import { chat } from "../../operations/chat.ts";
import { check } from "../../operations/checking/check.ts";
import { consoleCommand } from "../../operations/console-link.ts";
import { demo } from "../../operations/demo.ts";
import { endorse } from "../../operations/endorse.ts";
import { forget } from "../../operations/forget.ts";
import { grants } from "../../operations/grants.ts";
import { guardrails } from "../../operations/guardrails.ts";
import { hooks } from "../../operations/hooks.ts";
import { halt, rearm } from "../../operations/halt.ts";
import { init } from "../../operations/setup/init.ts";
import { inviteCommand } from "../../operations/invite-command.ts";
import { invites } from "../../operations/invites.ts";
import type { Command } from "../../operations/operation.ts";
import { mcp } from "../../operations/mcp/mcp-command.ts";
import { pause, resume } from "../../operations/pause.ts";
import { policy, setPolicy } from "../../operations/policy/policy-operation.ts";
import { run } from "../../operations/run.ts";
import { sessions } from "../../operations/sessions.ts";
import { turns } from "../../operations/turns.ts";
import { schedule } from "../../operations/schedule.ts";
import { service } from "../../operations/service.ts";
import { block, trust } from "../../operations/trust.ts";

/** Every command of the command line as light data, in the order its help shows: nothing of the runtime is loaded for it. */
export const COMMANDS: readonly Command[] = [
  run,
  chat,
  init,
  check,
  status,
  notices,
  costs,
  budgets,
  people,
  why,
  packets,
  pause,
  resume,
  halt,
  rearm,
  approvals,
  grants,
  decisions,
  endorse,
  guardrails,
  hooks,
  sessions,
  turns,
  schedule,
  trust,
  block,
  triggers,
  trigger,
  policy,
  setPolicy,
  mcp,
  inviteCommand,
  invites,
  forget,
  lines,
  audit,
  backup,
  restore,
  consoleCommand,
  service,
  demo,
];
