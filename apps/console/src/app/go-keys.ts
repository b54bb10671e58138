import type { PagePath } from '../ui/page-path.ts'

/** The letter after `g` that goes to a page of the menu. */
export const goKeys: Readonly<Partial<Record<PagePath, string>>> = {
  '/': 'h',
  '/channel': 'c',
  '/token': 't',
  '/redemption': 'r',
  '/topup': 'p',
  '/user': 'u',
  '/log': 'l',
  '/setting': 's',
  '/dashboard': 'd',
  '/model': 'm',
  '/status': 'v',
  '/playground': 'y',
  '/task': 'k',
}
