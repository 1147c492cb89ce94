package dev.posthorn.simulation;

class ModelLaneStoreContractTest extends LaneStoreContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
