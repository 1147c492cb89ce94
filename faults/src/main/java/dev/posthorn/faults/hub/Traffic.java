package dev.posthorn.faults.hub;

/** What is published: of which keys, and of which types the events of a key are. */
interface Traffic {

    /** One subscription wants everything. */
    Traffic OF_ONE_TYPE = new Traffic() {
        @Override
        public int keys() {
            return 40;
        }

        @Override
        public String key(String publisher, int number) {
            return publisher + "-" + number;
        }

        @Override
        public String type(String key) {
            return "aggregate.changed";
        }
    };

    /** How many times as long as usual publishers think between two calls. Usually they keep the whole machine busy. */
    default int thinking() {
        return 1;
    }

    /** How many keys each publisher has. */
    int keys();

    /** No two publishers share one. */
    String key(String publisher, int number);

    String type(String key);
}
