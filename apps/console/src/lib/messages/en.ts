import { common } from './en/common.ts'
import { shell } from './en/shell.ts'

/** The English texts of every page's frame. The texts of a feature are a group of their own. */
export const en = { ...common, ...shell }
