package dev.posthorn.faults.attacks;

/** No attack: what the others are to be compared with. */
final class Nobody implements Attack {

    @Override
    public String name() {
        return "none";
    }

    @Override
    public String sentence() {
        return "no attack, for comparison";
    }

    @Override
    public void run(Round round) throws InterruptedException {
        while (!round.isOver()) {
            round.pause(java.time.Duration.ofSeconds(1));
        }
    }
}
