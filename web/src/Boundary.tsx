import { Component, type ReactNode } from "react";
import { type ApiError, asApiError } from "./api/problem";
import { Unavailable } from "./screens/splash/Splash";

/** A mistake of ours while showing a page: says so instead of leaving the window empty. React itself reports the cause. */
export class Boundary extends Component<{ children: ReactNode }, { error: ApiError | undefined }> {
  override state: { error: ApiError | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: asApiError(error) };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <Unavailable error={this.state.error} onRetry={() => window.location.reload()} />;
  }
}
