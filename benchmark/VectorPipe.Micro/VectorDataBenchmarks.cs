using BenchmarkDotNet.Attributes;
using Microsoft.Extensions.VectorData;
using VectorPipe.Extensions.VectorData;

namespace VectorPipe.Micro;

/// <summary>A search through the store of Microsoft.Extensions.VectorData beside the same search of its collection.</summary>
[MemoryDiagnoser]
[MinColumn]
public class VectorDataBenchmarks : IDisposable
{
    private const int Count = 32;

    private readonly string _directory = Directory.CreateTempSubdirectory("vectorpipe-micro-").FullName;
    private readonly float[] _query = ResidentRecords.Vector(-1);
    private VectorPipeVectorStore _store = null!;
    private VectorStoreCollection<int, Note> _records = null!;
    private VectorCollection<int> _collection = null!;

    /// <summary>Hits.</summary>
    [Params(1, 10)]
    public int K { get; set; }

    [GlobalSetup]
    public async Task FillAsync()
    {
        _store = new VectorPipeVectorStore(_directory, new VectorPipeVectorStoreOptions { CollectionOptions = ResidentRecords.Options });
        _records = _store.GetCollection<int, Note>("notes");
        await _records.EnsureCollectionExistsAsync();
        for (int row = 0; row < Count; row++)
            await _records.UpsertAsync(new Note { Key = row, Text = $"note {row}", Vector = ResidentRecords.Vector(row) });
        _collection = (VectorCollection<int>)_records.GetService(typeof(VectorCollection<int>))!;
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _records.Dispose();
        _store.Dispose();
        Directory.Delete(_directory, recursive: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>The collection, with what the store asks for.</summary>
    [Benchmark(Baseline = true)]
    public async Task<int> Collection()
    {
        CollectionResult<int> found = await _collection.SearchAsync<float>(
            _query.AsMemory(), K, include: Include.Attributes | Include.Payload);
        int sum = 0;
        foreach (CollectionHit<int> hit in found)
            sum += hit.Attributes!["text"].AsString().Length;
        return sum;
    }

    [Benchmark]
    public async Task<int> Store()
    {
        int sum = 0;
        await foreach (VectorSearchResult<Note> hit in _records.SearchAsync(_query, K))
            sum += hit.Record.Text.Length;
        return sum;
    }

    /// <summary>A record of the store.</summary>
    public sealed class Note
    {
        [VectorStoreKey]
        public int Key { get; set; }

        [VectorStoreData(StorageName = "text", IsIndexed = true)]
        public string Text { get; set; } = "";

        [VectorStoreVector(ResidentRecords.Dimension)]
        public ReadOnlyMemory<float> Vector { get; set; }
    }
}
