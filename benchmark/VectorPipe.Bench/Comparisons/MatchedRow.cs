using System.Text.Json.Nodes;

namespace VectorPipe.Bench.Comparisons;

/// <summary>A row of results, found by its settings in the files of both sides. Not thread-safe.</summary>
/// <param name="Settings">The members that identify it.</param>
/// <param name="Repetition">1 for the first row of a file with these settings, 2 for the second.</param>
internal sealed record MatchedRow(IReadOnlyList<KeyValuePair<string, JsonNode?>> Settings, int Repetition)
{
    /// <summary>The row in the files of side A that have it.</summary>
    public List<JsonObject> A { get; } = [];

    public List<JsonObject> B { get; } = [];

    public bool IsShared => A.Count > 0 && B.Count > 0;

    /// <summary>Finds the rows of all files, in the order of the files. Rows of equal settings are matched in their order.</summary>
    public static IReadOnlyList<MatchedRow> Find(IReadOnlyList<ResultFile> a, IReadOnlyList<ResultFile> b)
    {
        // A version that does not know a setting yet must not be left without a match.
        string[] names = [.. SettingsOf(a).Intersect(SettingsOf(b))];
        var found = new OrderedDictionary<string, MatchedRow>();
        Add(a, row => row.A);
        Add(b, row => row.B);
        return [.. found.Values];

        void Add(IReadOnlyList<ResultFile> files, Func<MatchedRow, List<JsonObject>> side)
        {
            foreach (ResultFile file in files)
            {
                var seen = new Dictionary<string, int>();
                foreach (JsonObject row in file.Rows)
                {
                    string key = string.Join('\n', names.Select(name => row[name]?.ToJsonString()));
                    int repetition = seen[key] = seen.GetValueOrDefault(key) + 1;
                    key = $"{key}\n{repetition}";
                    if (!found.TryGetValue(key, out MatchedRow? matched))
                        found[key] = matched = new([.. names.Select(name => KeyValuePair.Create(name, row[name]))], repetition);
                    side(matched).Add(row);
                }
            }
        }
    }

    private static IEnumerable<string> SettingsOf(IReadOnlyList<ResultFile> files) =>
        files.SelectMany(file => file.Rows).SelectMany(row => row)
        .Where(member => RowMembers.IsSetting(member.Key, member.Value)).Select(member => member.Key).Distinct();
}
