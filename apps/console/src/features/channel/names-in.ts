/** The names of a list with commas. */
export const namesIn = (list: string): readonly string[] => list.split(',').filter((name) => name !== '')
