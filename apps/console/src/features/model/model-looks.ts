import type { ModelState } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

/** A model without a price is refused. */
export const modelLooks: StatusLooks<ModelState | 'refused'> = {
  byStatus: {
    up: { tone: 'green', shape: 'filled', text: 'model.state.up' },
    degraded: { tone: 'yellow', shape: 'half', text: 'model.state.degraded' },
    down: { tone: 'red', shape: 'ring', text: 'model.state.down' },
    refused: { tone: 'grey', shape: 'ring', text: 'model.state.refused', note: 'model.unpriced.note' },
  },
}
