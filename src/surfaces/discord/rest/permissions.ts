/** One right a bot needs in a server, under the name that people see in the platform's settings. */
export interface Permission {
  readonly bit: bigint;
  readonly name: string;
}

/** What answering takes, and nothing more. */
export const NEEDED: readonly Permission[] = [
  { bit: 1n << 10n, name: "View Channels" },
  { bit: 1n << 11n, name: "Send Messages" },
  { bit: 1n << 38n, name: "Send Messages in Threads" },
  { bit: 1n << 16n, name: "Read Message History" },
];

/** Whoever has it may do everything. */
export const ADMINISTRATOR: bigint = 1n << 3n;

/** Names of the needed rights that a server does not give; none where it does not say what it gives. */
export function missingOf(given: string | null): readonly string[] {
  const bits = bitsOf(given);
  if (bits === null) return [];
  return (bits & ADMINISTRATOR) === 0n ? NEEDED.filter(({ bit }) => (bits & bit) === 0n).map(({ name }) => name) : [];
}

/** What a server gives; null where it does not say. */
export function bitsOf(given: string | null): bigint | null {
  return given !== null && /^\d{1,40}$/.test(given) ? BigInt(given) : null;
}

/** The address at which whoever runs a server adds the bot to it, with the rights it needs and its commands. */
export function inviteLink(applicationId: string): string {
  const bits = NEEDED.reduce((sum, { bit }) => sum | bit, 0n);
  const query = new URLSearchParams({ client_id: applicationId, scope: "bot applications.commands", permissions: String(bits) });
  return `https://discord.com/oauth2/authorize?${query.toString()}`;
}
