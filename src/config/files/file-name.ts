/** The file that is looked for when none is named. */
export const CONFIG_FILE: string = "troupe.yaml";
