/** Keeps a fault of one view from taking the whole page along, and says what can be done. */
import { Component, type ReactNode } from "react";
import { Refused } from "../api/call";
import { Failure } from "./states";

type Props = { children: ReactNode };
type State = { fault: Error | null };

export class Boundary extends Component<Props, State> {
  override state: State = { fault: null };

  static getDerivedStateFromError(fault: Error): State {
    return { fault };
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (!fault) return this.props.children;
    const error = new Refused(
      "INTERNAL",
      "This part of the page met a fault.",
      `Nothing was decided by it. Load the page anew if it comes again. (${fault.message})`,
    );
    return <Failure error={error} retry={() => this.setState({ fault: null })} />;
  }
}
