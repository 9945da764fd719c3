/** A host of this computer alone, as a parsed address has it. */
export const LOOPBACK_HOST: RegExp = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
