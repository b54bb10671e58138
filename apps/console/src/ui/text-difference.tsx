import { useT } from '../lib/t.ts'
import { diffLinesMax, textDiff } from '../lib/text-diff.ts'

interface TextDifferenceProps {
  readonly before: string
  readonly after: string
}

/** The part in which two texts differ, one above the other; lines that were only added or only removed alone. */
export function TextDifference({ before, after }: TextDifferenceProps) {
  const t = useT()
  const diff = textDiff(before, after)
  return (
    <div className="space-y-1">
      {diff.before.length === 0 ? null : (
        <Side label={t(diff.after.length === 0 ? 'diff.removed' : 'diff.before')} lines={diff.before} look="bg-red-tint text-red" />
      )}
      {diff.after.length === 0 ? null : (
        <Side label={t(diff.before.length === 0 ? 'diff.added' : 'diff.after')} lines={diff.after} look="bg-green-tint text-green" />
      )}
    </div>
  )
}

interface SideProps {
  /** Distinguishes the sides besides their colours; a sign could be mistaken for part of a number. */
  readonly label: string
  readonly lines: readonly string[]
  readonly look: string
}

function Side({ label, lines, look }: SideProps) {
  const t = useT()
  const hidden = lines.length - diffLinesMax
  return (
    <div className={`flex gap-3 rounded-sm px-2 py-1 text-sm ${look}`}>
      <span className="w-14 shrink-0 text-xs">{label}: </span>
      <div className="min-w-0">
        <pre className="font-mono text-xs break-all whitespace-pre-wrap">
          {lines.slice(0, diffLinesMax).join('\n').trim() || t('diff.empty')}
        </pre>
        {hidden > 0 ? <p>{t('diff.more', { count: hidden })}</p> : null}
      </div>
    </div>
  )
}
