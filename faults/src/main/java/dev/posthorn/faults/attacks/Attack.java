package dev.posthorn.faults.attacks;

/** Something hostile that goes on until its time is up. */
interface Attack {

    String name();

    /** What it does, as {@code --help} tells it. */
    String sentence();

    /** How much of what valid publishers ask must be served meanwhile, in per cent. */
    default double leastServed() {
        return 90;
    }

    /** Sets up what it needs, before its time begins. */
    default void prepare(AttackedHub hub) throws Exception {}

    /** Returns soon after the round is over. */
    void run(Round round) throws Exception;
}
