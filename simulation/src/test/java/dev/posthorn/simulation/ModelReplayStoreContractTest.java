package dev.posthorn.simulation;

class ModelReplayStoreContractTest extends ReplayStoreContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
