package dev.posthorn.relay;

class ModelLaneStoreContractTest extends LaneStoreContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
