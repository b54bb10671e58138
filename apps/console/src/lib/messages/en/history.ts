/** The history of an option or a channel, and differences of texts. */
export const history = {
  'history.title': 'History: {name}',
  'history.none': 'No changes yet',
  'history.none.text': 'Changes from now on are listed here and can be undone.',
  'history.restore': 'Restore previous values',
  'history.restored': 'Restored',
  'history.hidden': 'A key or other secret was replaced. Secrets are not kept.',
  'diff.before': 'Before',
  'diff.after': 'After',
  'diff.added': 'Added',
  'diff.removed': 'Removed',
  'diff.empty': '(empty)',
  'diff.more': { one: 'and {count} more', other: 'and {count} more' },
} as const
