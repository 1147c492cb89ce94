package dev.posthorn.sink.contract;

/** What may be wrong with a sink, and the test that has to find it. */
enum Flaw {
    LOSES_A_HEADER("anEventArrivesWithEverythingThatWasRecorded"),
    LOSES_THE_SOURCE_ID("anEventArrivesWithEverythingThatWasRecorded"),
    TAKES_THE_TIME_OF_RECORDING("anEventArrivesWithEverythingThatWasRecorded"),
    INVENTS_A_KEY("anEventArrivesWithoutWhatWasNotRecordedAndWithTheTimeOfRecording"),
    TAKES_THE_TIME_OF_SENDING("anEventArrivesWithoutWhatWasNotRecordedAndWithTheTimeOfRecording"),
    TAKES_BYTES_FOR_TEXT("everyByteOfAPayloadArrivesAsItIs"),
    DROPS_EMPTY_PAYLOADS("anEmptyPayloadArrives"),
    ANSWERS_TWICE("everyEventIsDeliveredAndAnsweredOnceOverSeveralChannels"),
    SENDS_TWICE("everyEventIsDeliveredAndAnsweredOnceOverSeveralChannels"),
    FORGETS_AN_ANSWER("everyEventIsDeliveredAndAnsweredOnceOverSeveralChannels"),
    ANSWERS_TOO_EARLY("everyEventIsDeliveredAndAnsweredOnceOverSeveralChannels"),
    MIXES_THE_ORDER("eventsOfAKeyArriveInTheOrderInWhichTheyWereHandedOver", true),
    TRIES_REFUSED_EVENTS_AGAIN("aRefusedEventIsRejectedForAReasonAndOthersAreDelivered"),
    STANDS_STILL_AFTER_A_REFUSAL("aRefusedEventIsRejectedForAReasonAndOthersAreDelivered"),
    GOES_ON_AFTER_A_FAILURE("nothingThatWasHandedOverAfterAFailedEventIsDelivered", true),
    GOES_ON_IN_SECRET_AFTER_A_FAILURE("nothingThatWasHandedOverAfterAFailedEventIsDelivered", true),
    STANDS_STILL_IN_SILENCE_AFTER_A_FAILURE("nothingThatWasHandedOverAfterAFailedEventIsDelivered", true),
    BLAMES_THE_EVENT_FOR_AN_OUTAGE("aReceiverThatIsAwayIsUnavailableForAReason"),
    GIVES_NO_CLASS("aReceiverThatIsAwayIsUnavailableForAReason"),
    GIVES_NO_REASON("aReceiverThatIsAwayIsUnavailableForAReason", true),
    REMEMBERS_AN_OUTAGE_IN_THE_SINK("aReceiverThatIsBackGetsItsEvents", true),
    REMEMBERS_AN_OUTAGE_IN_THE_CHANNEL("aReceiverThatIsBackGetsItsEvents"),
    WAITS_FOR_A_CONNECTION("nobodyWaitsForAReceiverThatIsAway"),
    THROWS_IF_THERE_IS_NO_CONNECTION("nobodyWaitsForAReceiverThatIsAway"),
    WAITS_FOR_AN_ANSWER("nobodyWaitsForASilentReceiver"),
    NEVER_GIVES_UP("whatASilentReceiverDoesNotAnswerInTimeIsGivenUp"),
    TRIES_AGAIN_WHAT_IT_GAVE_UP("whatASilentReceiverDoesNotAnswerInTimeIsGivenUp"),
    CLOSES_WHEN_ALL_IS_ANSWERED("aChannelClosesSoonWhateverTheReceiverDoes"),
    CLOSES_ONLY_ONCE("aChannelClosesSoonWhateverTheReceiverDoes"),
    TRIES_ON_AFTER_CLOSE_WHEN_AWAY("aClosedChannelDeliversNothingToAReceiverThatWasAway"),
    TRIES_ON_AFTER_CLOSE_IN_SILENCE("aClosedChannelDeliversNothingToAReceiverThatWasSilent", true),
    CLOSES_EVERY_CHANNEL("theEndOfAChannelDoesNotDisturbAnother"),
    LEAVES_A_THREAD("noThreadIsLeftWhenAllChannelsAreClosed"),
    TELLS_A_SECRET_IN_ITS_REASON("noSecretIsTold"),
    TELLS_A_SECRET_IN_ITS_NAME("noSecretIsTold", true);

    private final String caughtBy;
    private final boolean keepsOrder;

    Flaw(String caughtBy) {
        this(caughtBy, false);
    }

    Flaw(String caughtBy, boolean keepsOrder) {
        this.caughtBy = caughtBy;
        this.keepsOrder = keepsOrder;
    }

    String caughtBy() {
        return caughtBy;
    }

    /** Of the sink that has it. */
    boolean keepsOrder() {
        return keepsOrder;
    }
}
