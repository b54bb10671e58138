/** Lines of the check list whose feature is not built yet, each with what is missing. The list only gets shorter. */
export const notYet: Readonly<Record<string, string>> = {
  C10a: 'types without a record of their vendor',
  B5a: 'bulk actions and sorting on phones',
  B24: 'the export and import of channels',
  B26: 'a new key for a token',
  B28: 'the expiry of codes',
}
