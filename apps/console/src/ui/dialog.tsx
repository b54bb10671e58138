import { late } from '../lib/late.ts'
import type { ConfirmProps, DialogProps } from './dialog-props.ts'
import { LateLayer } from './late-layer.tsx'

/** The code of dialogs and sheets: the first paint of a page needs none of it. */
export const dialogParts = late(() => import('./dialog-parts.tsx'))

/** The first focus is on the element marked `data-first`, else on the first one that can have it. */
export function Dialog(props: DialogProps) {
  return (
    <LateLayer code={dialogParts} isOpen={props.isOpen} onFailed={props.onClose}>
      {({ Dialog: Part }) => <Part {...props} />}
    </LateLayer>
  )
}

/** Asks before something that cannot be undone. Enter confirms, because that button has the first focus; Esc cancels. */
export function ConfirmDialog(props: ConfirmProps) {
  return (
    <LateLayer code={dialogParts} isOpen={props.isOpen} onFailed={props.onCancel}>
      {({ ConfirmDialog: Part }) => <Part {...props} />}
    </LateLayer>
  )
}
