package dev.posthorn.server.guard;

/** What an operator has found out about a forward. */
public enum Decision {
    /** The target has it. */
    ARRIVED(ForwardState.FORWARDED),
    /** The target does not have it: it is forwarded when it comes again. */
    REPEAT(ForwardState.FREE),
    /** Whether the target has it or not, it is not forwarded any more. */
    ABANDON(ForwardState.ABANDONED);

    private final ForwardState result;

    Decision(ForwardState result) {
        this.result = result;
    }

    ForwardState result() {
        return result;
    }

    /** What was refused is known not to have arrived, so that only its repetition is left to decide. */
    boolean isPossible(ForwardState state) {
        return state == ForwardState.IN_DOUBT || (this == REPEAT && state == ForwardState.REFUSED);
    }
}
