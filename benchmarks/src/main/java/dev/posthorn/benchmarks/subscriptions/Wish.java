package dev.posthorn.benchmarks.subscriptions;

/** Who wants which event, so that one that came to somebody else is noticed. */
interface Wish {

    Wish EVERYBODY = (event, subscription) -> true;

    /**
     * Whether this one wants it.
     *
     * @param event its number in the phase
     */
    boolean has(int event, int subscription);
}
