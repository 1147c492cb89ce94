package dev.posthorn.relay;

class ModelReplayStoreContractTest extends ReplayStoreContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
