import { Deliveries } from './deliveries.tsx'
import { Rules } from './rules.tsx'

/** What the own account is notified of, and what was sent. */
export function NotificationTab() {
  return (
    <div className="max-w-[720px]">
      <Rules />
      <Deliveries />
    </div>
  )
}
