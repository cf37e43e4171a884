using Parquet;
using Parquet.Schema;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Hits;

/// <summary>Hits as a file of Parquet with the columns query, rank, key and score, a row a hit.</summary>
internal sealed class HitColumns<TKey> : IHitWriter<TKey>
    where TKey : notnull
{
    private const int RowsOfAGroup = 1 << 16;

    private static readonly DataField _query = new(HitNames.Query, typeof(int)), _rank = new(HitNames.Rank, typeof(int));
    private static readonly DataField _key = new(HitNames.Key, typeof(TKey), isNullable: false);
    private static readonly DataField _score = new(HitNames.Score, typeof(float));

    private readonly StagedOutput _file;
    private readonly List<int> _queries = [], _ranks = [];
    private readonly List<TKey> _keys = [];
    private readonly List<float> _scores = [];
    private ParquetWriter? _writer;

    public HitColumns(StagedOutput file) => _file = file;

    public async ValueTask WriteAsync(int query, IReadOnlyList<KeyHit<TKey>> hits, CancellationToken cancellationToken)
    {
        for (int i = 0; i < hits.Count; i++)
        {
            _queries.Add(query);
            _ranks.Add(i + 1);
            _keys.Add(hits[i].Key);
            _scores.Add(hits[i].Score);
        }

        if (_queries.Count >= RowsOfAGroup)
            await WriteGroupAsync(cancellationToken);
    }

    public async Task CompleteAsync(CancellationToken cancellationToken)
    {
        await WriteGroupAsync(cancellationToken);
        await _writer!.DisposeAsync();
        await _file.CompleteAsync(cancellationToken);
    }

    public ValueTask DisposeAsync() => _file.DisposeAsync();

    private async Task WriteGroupAsync(CancellationToken cancellationToken)
    {
        var schema = new ParquetSchema(_query, _rank, _key, _score);
        _writer ??= await ParquetWriter.CreateAsync(schema, _file.Stream, cancellationToken: cancellationToken);
        using ParquetRowGroupWriter group = _writer.CreateRowGroup();
        await group.WriteAsync<int>(_query, _queries.ToArray(), cancellationToken: cancellationToken);
        await group.WriteAsync<int>(_rank, _ranks.ToArray(), cancellationToken: cancellationToken);
        await ((object)_keys switch
        {
            List<ulong> keys => group.WriteAsync<ulong>(_key, keys.ToArray(), cancellationToken: cancellationToken),
            List<long> keys => group.WriteAsync<long>(_key, keys.ToArray(), cancellationToken: cancellationToken),
            List<int> keys => group.WriteAsync<int>(_key, keys.ToArray(), cancellationToken: cancellationToken),
            List<Guid> keys => group.WriteAsync<Guid>(_key, keys.ToArray(), cancellationToken: cancellationToken),
            var keys => group.WriteAsync(_key, (List<string>)keys),
        });
        await group.WriteAsync<float>(_score, _scores.ToArray(), cancellationToken: cancellationToken);
        _queries.Clear();
        _ranks.Clear();
        _keys.Clear();
        _scores.Clear();
    }
}
