import { Fragment } from 'react'
import { cx } from '../lib/text.ts'

interface DataTextProps {
  readonly text: string
  readonly className?: string | undefined
}

/** A name or another text of data on one line. It turns the direction of nothing beside it, and where it is cut, the pointer finds the whole. */
export function DataText({ text, className }: DataTextProps) {
  return (
    <bdi title={text} className={cx('block truncate', className)}>
      {text}
    </bdi>
  )
}

/** Names of data, one after another; none of them turns the direction of the others. */
export function DataList({ names }: { readonly names: readonly string[] }) {
  return names.map((name, index) => (
    <Fragment key={name}>
      {index === 0 ? '' : ', '}
      <bdi>{name}</bdi>
    </Fragment>
  ))
}
