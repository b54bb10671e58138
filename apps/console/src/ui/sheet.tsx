import { dialogParts } from './dialog.tsx'
import type { SheetProps } from './dialog-props.ts'
import { LateLayer } from './late-layer.tsx'

/** A panel at an edge of the screen; the list behind it keeps its position. */
export function Sheet(props: SheetProps) {
  return (
    <LateLayer code={dialogParts} isOpen={props.isOpen} onFailed={props.onClose}>
      {({ Sheet: Part }) => <Part {...props} />}
    </LateLayer>
  )
}
