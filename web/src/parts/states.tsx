/** What a view shows in the place of its content: nothing there, on its way, or an error with the next step. */
import { escaped } from "./escape";
import type { ReactNode } from "react";
import type { Refused } from "../api/call";
import { Icon, type IconName } from "./Icon";

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <p className="empty-title">{title}</p>
      {children ? <div className="empty-more">{children}</div> : null}
    </div>
  );
}

/** Says nothing for the first moment: what comes at once needs no notice. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      Loading {what}…
    </div>
  );
}

export function Failure({ error, retry }: { error: Refused; retry?: () => void }) {
  return (
    <div className="failure" role="alert">
      <p>
        <strong>{escaped(error.message)}</strong>
      </p>
      {error.nextStep ? <p>{escaped(error.nextStep)}</p> : null}
      <p className="failure-code">{error.code}</p>
      {retry ? (
        <button type="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}
