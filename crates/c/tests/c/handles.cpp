// The header in C++: handles that free themselves, a key shared by threads, errors as exceptions.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "macs.h"

namespace {

struct Free {
    void operator()(macs_key *key) const { macs_key_free(key); }
    void operator()(macs_state *state) const { macs_state_free(state); }
};

void check(macs_status status) {
    if (status != MACS_OK) throw std::runtime_error(macs_error_text());
}

using Bytes = std::vector<std::uint8_t>;

class Key {
  public:
    Key(const std::string &name, const Bytes &key) {
        macs_key *made = nullptr;
        check(macs_key_new(name.c_str(), key.data(), key.size(), nullptr, &made));
        handle.reset(made);
    }

    Bytes tag(const std::string &message) const {
        Bytes tag(macs_key_tag_len(handle.get()));
        auto data = reinterpret_cast<const std::uint8_t *>(message.data());
        check(macs_tag(handle.get(), nullptr, 0, data, message.size(), tag.data(), tag.size()));
        return tag;
    }

    Bytes tag_of_pieces(const std::vector<std::string> &pieces) const {
        macs_state *made = nullptr;
        check(macs_state_new(handle.get(), &made));
        std::unique_ptr<macs_state, Free> state(made);
        for (const auto &piece : pieces)
            check(macs_state_update(made, reinterpret_cast<const std::uint8_t *>(piece.data()),
                                    piece.size()));
        Bytes tag(macs_key_tag_len(handle.get()));
        check(macs_state_tag(made, nullptr, 0, tag.data(), tag.size()));
        return tag;
    }

  private:
    std::unique_ptr<macs_key, Free> handle;
};

} // namespace

int main() {
    // RFC 4231, test case 2.
    const std::string message = "what do ya want for nothing?";
    const std::array<std::uint8_t, 8> begins = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e};
    const Key key("hmac-sha256", Bytes{'J', 'e', 'f', 'e'});
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&] {
            for (int round = 0; round < 100; round++) {
                const Bytes tag = key.tag(message);
                if (!std::equal(begins.begin(), begins.end(), tag.begin())) wrong++;
                if (tag != key.tag_of_pieces({"what do ya ", "want for ", "nothing?"})) wrong++;
            }
        });
    for (auto &thread : threads) thread.join();
    if (wrong != 0) {
        std::fprintf(stderr, "%d tags are wrong\n", wrong.load());
        return 1;
    }
    try {
        Key("cmac-aes-128", Bytes(5));
    } catch (const std::runtime_error &error) {
        std::puts(error.what());
        return 0;
    }
    std::fprintf(stderr, "a key of 5 bytes was taken\n");
    return 1;
}
