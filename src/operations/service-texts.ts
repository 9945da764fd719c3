import { RuntimeError } from "../foundation/errors.ts";
import type { ServiceFacts, ServiceKind } from "./service.ts";

/** Seconds a stop may take before it is a kill: more than the joins of the runtime together. */
const STOP_S = 20;

/** Write the text for one way of staying up. @throws RuntimeError `usage` when a path cannot stand in such a file. */
export function serviceText(kind: ServiceKind, facts: ServiceFacts): string {
  const paths = [facts.node, facts.launcher, facts.workingDirectory, facts.stateDirectory, facts.config ?? "", facts.user];
  if (paths.some((path) => /\p{Cc}/u.test(path)))
    throw new RuntimeError("usage", "Cannot write a service: a path of this installation holds control characters");
  return { systemd, launchd, container }[kind](facts);
}

/** The words of the command that stays up. */
function commandOf({ node, launcher, stateDirectory, config }: ServiceFacts): readonly string[] {
  return [node, launcher, "run", "--state", stateDirectory, ...(config === null ? [] : ["--config", config])];
}

function systemd(facts: ServiceFacts): string {
  const state = facts.stateDirectory;
  return `# Troupe as a service of this computer. As root: put this into /etc/systemd/system/troupe.service, then
#   install -d -m 700 -o ${unitWord(facts.user)} ${shellWord(state)}
#   systemctl daemon-reload && systemctl enable --now troupe
# It writes to its state folder and nowhere else. Its log is the journal (journalctl -u troupe), unless log.file names a file.
[Unit]
Description=Troupe: AI characters that live among people
After=network-online.target
Wants=network-online.target
# A configuration that does not start is no better the tenth time.
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
User=${unitWord(facts.user)}
WorkingDirectory=${unitPath(facts.workingDirectory)}
ExecStart=${commandOf(facts).map(execWord).join(" ")}
Restart=on-failure
RestartSec=5
# A wrong command line stays wrong.
RestartPreventExitStatus=2
TimeoutStopSec=${STOP_S}
UMask=0077

NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths=${unitPath(state)}
${temporaryFolders(facts)}
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
CapabilityBoundingSet=
AmbientCapabilities=
# Not here: MemoryDenyWriteExecute, since JavaScript is compiled while it runs; WatchdogSec, since Node.js cannot speak to
# systemd's socket, and a watchdog that is fed by a timer beside the work would say nothing. Ask /healthz of the console's port.

[Install]
WantedBy=multi-user.target
`;
}

/** A temporary folder of its own hides what other programs have there, unless something of ours must be found there. */
function temporaryFolders({ stateDirectory, socketFolder }: ServiceFacts): string {
  if (socketFolder !== null)
    return `# The path of the state folder is too long for a socket, so that stands among the temporary files, where commands look for it.\nPrivateTmp=no\nReadWritePaths=${unitPath(socketFolder)}`;
  return /^\/(?:var\/)?tmp\//.test(stateDirectory) ? "PrivateTmp=no" : "PrivateTmp=yes";
}

/** A word of a unit's setting: percent signs begin specifiers there. */
function unitWord(word: string): string {
  return word.replaceAll("%", "%%");
}

/** A path of a unit's setting; quotes part no words there, they hold one together. */
function unitPath(path: string): string {
  return /[\s"'\\;]/.test(path) ? `"${unitWord(path).replace(/[\\"]/g, "\\$&")}"` : unitWord(path);
}

/** A word of a unit's command line, where a dollar sign begins a variable as well. */
function execWord(word: string): string {
  return unitPath(word).replaceAll("$", "$$$$");
}

/** A word for a shell. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function launchd(facts: ServiceFacts): string {
  const words = commandOf(facts).map((word) => `    <string>${xml(word)}</string>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Troupe as an agent of this user. Put this into ~/Library/LaunchAgents/troupe.plist, then:
     launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/troupe.plist
     Set log.file in troupe.yaml: launchd keeps no journal. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>troupe</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(facts.workingDirectory)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>${STOP_S}</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
`;
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function container({ version }: ServiceFacts): string {
  const node = process.versions.node;
  return `# Troupe in a container. In a checkout of Troupe:
#   podman build -t troupe:${version} -f - . < Containerfile        (or docker)
#   podman run -d --name troupe --network host --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \\
#     -v troupe-house:/house troupe:${version}
# Put troupe.yaml into the volume, or make one there: podman run --rm -it -v troupe-house:/house troupe:${version} init
# The room and the console listen on loopback, so the container shares the host's network; a room with listen and public_url
# can have a network of its own: publish that port, and never the console's.
# The tag pins Node.js; pin its bytes as well by writing the digest that your registry shows behind it (@sha256:…).
FROM docker.io/library/node:${node}-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm pack --silent

FROM docker.io/library/node:${node}-slim
COPY --from=build /build/troupe-${version}.tgz /tmp/troupe.tgz
RUN npm install --global --omit=dev --ignore-scripts --no-audit --no-fund /tmp/troupe.tgz && rm /tmp/troupe.tgz \\
  && install -d -m 700 -o node -g node /house
USER node
WORKDIR /house
VOLUME /house
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \\
  CMD ["node", "-e", "fetch('http://127.0.0.1:7778/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["troupe"]
CMD ["run"]
`;
}
