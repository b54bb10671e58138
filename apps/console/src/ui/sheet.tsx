import type { ReactNode } from 'react'
import { dialogParts } from './dialog.tsx'
import { LateLayer } from './late-layer.tsx'

export interface SheetProps {
  readonly title: string
  readonly side: 'left' | 'right' | 'bottom'
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A panel at an edge of the screen; the list behind it keeps its position. */
export function Sheet(props: SheetProps) {
  return (
    <LateLayer code={dialogParts} isOpen={props.isOpen} onFailed={props.onClose}>
      {({ Sheet: Part }) => <Part {...props} />}
    </LateLayer>
  )
}
