import type { SetAsideRow } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

export const setAsideLooks: StatusLooks<SetAsideRow['state']> = {
  byStatus: {
    open: { tone: 'yellow', shape: 'half', text: 'aside.state.open' },
    retried: { tone: 'green', shape: 'filled', text: 'aside.state.retried' },
    resolved: { tone: 'grey', shape: 'filled', text: 'aside.state.resolved' },
  },
}

/** How a row is called in labels and questions. */
export const nameOf = ({ id }: Pick<SetAsideRow, 'id'>): string => `#${id}`

/** The error on one line. */
export const errorOf = ({ error_code: code, error_message: message }: SetAsideRow): string =>
  [code, message].filter((part) => part !== '').join(': ')
