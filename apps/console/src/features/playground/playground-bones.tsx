import { Skeleton } from '../../ui/skeleton.tsx'

/** The prompt and the settings in their places, while the tokens are loaded. */
export function PlaygroundBones() {
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="flex min-h-[calc(100dvh-15.5rem)] min-w-0 flex-col justify-end pb-3">
        <div className="sticky bottom-3 flex min-h-32 flex-col justify-between rounded-md border bg-surface p-4">
          <Skeleton className="h-4 w-56" />
          <Skeleton className="h-8 w-20 self-end" />
        </div>
      </div>
      <div className="space-y-4 max-lg:hidden">
        <div className="space-y-5 rounded-md border bg-surface p-4">
          {['model', 'token'].map((field) => (
            <div key={field} className="space-y-2">
              <Skeleton className="h-4 w-16" />
              <Skeleton className="h-8 w-full" />
            </div>
          ))}
        </div>
        <div className="space-y-2 rounded-md border bg-surface p-4">
          <Skeleton className="h-4 w-24" />
          <Skeleton className="h-20 w-full" />
        </div>
      </div>
    </div>
  )
}
