/** Lines of the check list whose feature is not built yet, each with what is missing. The list only gets shorter. */
export const notYet: Readonly<Record<string, string>> = {
  C10a: 'types without a record of their vendor',
  B5a: 'bulk actions and sorting on phones',
  B8: 'saved views',
  B10: 'new rows of the log as they come',
  B12: 'the histogram of the log',
  B24: 'the export and import of channels',
  B26: 'a new key for a token',
  B28: 'the expiry of codes',
}
