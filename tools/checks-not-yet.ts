/** Lines of the check list whose feature is not built yet. The list only gets shorter. */
export const notYet: readonly string[] = ['C10a', 'D10', 'D11b', 'I6', 'B1', 'B5a', 'B8', 'B10', 'B12', 'B24', 'B26', 'B28', 'B43']
