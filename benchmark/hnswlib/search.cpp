// Searches hnswlib in memory, for `vectorpipe-bench peers`: the same vectors, queries and truth, so many threads, one query at a time each.
//
//   g++ -O3 -march=native -std=c++17 -pthread search.cpp -o hnswlib-search        (Debian: libhnswlib-dev)
//   hnswlib-search BASE QUERY TRUTH GRAPH K THREADS M EF_CONSTRUCTION
//
// BASE and QUERY are .u8bin or .fbin; distances are squared L2 of float32, the only ones of hnswlib that are vectorized. The graph is built
// once and kept in the file GRAPH. Then the program prints "ready SECONDS", the time of the build or 0, and answers each line "EF" of its
// input with "RECALL QPS".
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Rows {
    uint32_t count = 0;
    uint32_t dimension = 0;
    std::vector<float> values;

    const float* operator[](size_t row) const { return values.data() + row * dimension; }
};

std::ifstream open(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error(path + ": cannot be read");
    return file;
}

void read(std::ifstream& file, const std::string& path, void* to, size_t bytes) {
    if (!file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
        throw std::runtime_error(path + ": is shorter than its header says");
}

bool endsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Rows loadRows(const std::string& path) {
    std::ifstream file = open(path);
    Rows rows;
    read(file, path, &rows.count, sizeof rows.count);
    read(file, path, &rows.dimension, sizeof rows.dimension);
    size_t components = static_cast<size_t>(rows.count) * rows.dimension;
    rows.values.resize(components);
    if (endsWith(path, ".fbin")) {
        read(file, path, rows.values.data(), components * sizeof(float));
    } else if (endsWith(path, ".u8bin")) {
        std::vector<uint8_t> bytes(components);
        read(file, path, bytes.data(), components);
        rows.values.assign(bytes.begin(), bytes.end());
    } else {
        throw std::runtime_error(path + ": expected a file .u8bin or .fbin");
    }
    return rows;
}

template <typename Body>
double onThreads(int threads, size_t items, Body body) {
    std::atomic<size_t> next{0};
    std::vector<std::thread> workers;
    auto start = std::chrono::steady_clock::now();
    for (int worker = 0; worker < threads; worker++)
        workers.emplace_back([&] {
            for (size_t item = next++; item < items; item = next++)
                body(item);
        });
    for (std::thread& worker : workers)
        worker.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run(char** arguments) {
    const std::string graphPath = arguments[4];
    const size_t k = std::stoul(arguments[5]);
    const int threads = std::stoi(arguments[6]);
    const size_t m = std::stoul(arguments[7]), construction = std::stoul(arguments[8]);

    const Rows queries = loadRows(arguments[2]);
    std::ifstream file = open(arguments[3]);
    uint32_t count, depth;
    read(file, arguments[3], &count, sizeof count);
    read(file, arguments[3], &depth, sizeof depth);
    if (count < queries.count || depth < k)
        throw std::runtime_error(std::string(arguments[3]) + ": has fewer queries or neighbours than are searched for");
    std::vector<uint32_t> truth(static_cast<size_t>(count) * depth);
    read(file, arguments[3], truth.data(), truth.size() * sizeof(uint32_t));

    hnswlib::L2Space space(queries.dimension);
    std::unique_ptr<hnswlib::HierarchicalNSW<float>> graph;
    double built = 0;
    if (std::ifstream(graphPath)) {
        graph = std::make_unique<hnswlib::HierarchicalNSW<float>>(&space, graphPath);
    } else {
        const Rows base = loadRows(arguments[1]);
        if (base.dimension != queries.dimension)
            throw std::runtime_error("vectors and queries have different dimensions");
        graph = std::make_unique<hnswlib::HierarchicalNSW<float>>(&space, base.count, m, construction);
        graph->addPoint(base[0], 0);
        built = onThreads(threads, base.count - 1, [&](size_t item) { graph->addPoint(base[item + 1], item + 1); });
        graph->saveIndex(graphPath);
    }

    std::printf("ready %.1f\n", built);
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
        graph->setEf(std::stoul(line));
        std::atomic<size_t> found{0};
        double seconds = onThreads(threads, queries.count, [&](size_t query) {
            auto nearest = graph->searchKnn(queries[query], k);
            const uint32_t* exact = truth.data() + query * depth;
            size_t hits = 0;
            for (; !nearest.empty(); nearest.pop())
                hits += std::find(exact, exact + k, nearest.top().second) != exact + k;
            found += hits;
        });
        std::printf("%.6f %.1f\n", static_cast<double>(found) / (static_cast<double>(queries.count) * k), queries.count / seconds);
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 9) {
        std::fprintf(stderr, "expected BASE QUERY TRUTH GRAPH K THREADS M EF_CONSTRUCTION, found %d words\n", count - 1);
        return 2;
    }
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    }
}
