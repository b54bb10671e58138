/** The history of an option or a channel, and differences of texts. */
export const history = {
  'history.title': 'History: {name}',
  'history.none': 'Nothing changed yet',
  'history.none.text': 'Each change is listed here from now on, and can be undone.',
  'history.restore': 'Restore what was before',
  'history.restored': 'Restored',
  'history.hidden': 'A key or another secret was replaced. Secrets are not kept.',
  'diff.before': 'Before',
  'diff.after': 'After',
  'diff.added': 'Added',
  'diff.removed': 'Removed',
  'diff.empty': '(empty)',
  'diff.more': { one: 'and {count} more', other: 'and {count} more' },
} as const
