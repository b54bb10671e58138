/** Lines of the check list whose feature is not built yet, each with what is missing. The list only gets shorter. */
export const notYet: Readonly<Record<string, string>> = {}
