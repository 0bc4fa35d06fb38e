/** The plan that waits or is in force, with its steps: the agent's words, made harmless. */
import { escaped } from "../parts/escape";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";

export function OpenPlan() {
  const { room } = usePlace();
  const plan = useStore(room.plan).value;
  if (!plan) return null;
  return (
    <details className="plan" open={plan.status === "approved"}>
      <summary>
        <span className={`chip chip-${plan.status}`}>
          {plan.status === "approved" ? "plan in force" : "plan waits"}
        </span>{" "}
        {escaped(plan.title)}
      </summary>
      <p className="quiet">{escaped(plan.objective)}</p>
      <ol>
        {plan.steps.map((step, at) => (
          <li key={at}>
            {escaped(step.text)} {step.kind === "other" ? null : <span className="chip">{step.kind}</span>}
          </li>
        ))}
      </ol>
      {plan.risks.length ? <p className="quiet">Risks: {plan.risks.map(escaped).join("; ")}</p> : null}
    </details>
  );
}
