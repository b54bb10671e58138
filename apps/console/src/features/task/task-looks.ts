import type { TaskState } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

export const taskLooks: StatusLooks<TaskState> = {
  byStatus: {
    queued: { tone: 'grey', shape: 'ring', text: 'task.state.queued' },
    in_progress: { tone: 'blue', shape: 'half', text: 'task.state.in_progress' },
    completed: { tone: 'green', shape: 'filled', text: 'task.state.completed' },
    failed: { tone: 'red', shape: 'filled', text: 'task.state.failed' },
    cancelled: { tone: 'yellow', shape: 'ring', text: 'task.state.cancelled' },
    expired: { tone: 'orange', shape: 'half', text: 'task.state.expired' },
  },
}
