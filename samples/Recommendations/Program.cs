using VectorPipe;

// A shop recommends: what is like an item, in stock and affordable, and not all of one brand; while items are being sold.
//   dotnet run -c Release --project samples/Recommendations
const int Dimension = 64, Items = 3_000;
string[] tags = ["tent", "boots", "lamp", "stove", "jacket", "rope"];
string[] brands = ["Fjell", "Alba", "Corvo", "Nanuk"];
string directory = args.Length > 0 ? args[0] : Path.Combine(Path.GetTempPath(), "vectorpipe-shop");
var schema = new CollectionSchema
{
    Dimension = Dimension,
    Attributes =
    [
        new("brand", AttributeType.String), new("tags", AttributeType.StringSet), new("price", AttributeType.Double),
        new("in_stock", AttributeType.Boolean),
    ],
};
await using VectorCollection<string> shop = await VectorCollection<string>.OpenAsync(directory, schema);

var random = new Random(1);
await Task.WhenAll(Enumerable.Range(0, Items).Select(number =>
{
    string tag = tags[number % tags.Length];
    var attributes = new AttributeSet
    {
        ["brand"] = brands[random.Next(brands.Length)],
        ["tags"] = AttributeValue.StringSet(tag, number % 7 == 0 ? "sale" : "new"),
        ["price"] = Math.Round(20 + (random.NextDouble() * 200), 2),
        ["in_stock"] = true,
    };
    return shop.UpsertAsync($"{tag}-{number}", Embedding(number % tags.Length), attributes);
}));

const string Seen = "tent-42";
Filter affordable = Filter.Equal("in_stock", true) & Filter.LessThan("price", 150.0);
await MoreLikeThisAsync($"More like {Seen}");
await MoreLikeThisAsync($"More like {Seen}, on sale", Filter.Contains("tags", "sale"));

// The nearest six, at most two of a brand. The item itself is the nearest of all: ask for one more, and leave it out.
CollectionRecord<string> seen = (await shop.GetAsync(Seen))!;
CollectionResult<string> mixed = await shop.SearchGroupedAsync(
    seen.GetVector<float>(), k: 7, groupBy: "brand", perGroup: 2, include: Include.Attributes, filter: affordable);
Print($"More like {Seen}, at most two of a brand", mixed.Where(hit => hit.Key != Seen).Take(6));

// Items are sold while others search. A search that begins after a sale was acknowledged does not show what was sold.
int searches = 0, sold = 0;
Task selling = Task.Run(async () =>
{
    for (; sold < 25; sold++)
        await SellAsync((await shop.SearchNearAsync(Seen, k: 1, filter: affordable))![0].Key);
});
for (; !selling.IsCompleted; searches++)
    await shop.SearchNearAsync(Seen, k: 5, filter: affordable);
await selling;
Console.WriteLine($"\n{sold} items sold, {searches} searches meanwhile.");
await MoreLikeThisAsync($"More like {Seen}, of those that are left");

async Task MoreLikeThisAsync(string title, Filter? also = null) =>
    Print(title, (await shop.SearchNearAsync(Seen, k: 3, include: Include.Attributes, filter: affordable & (also ?? Filter.All)))!);

// A write replaces the whole record: read it, change it, write it back.
async Task SellAsync(string key)
{
    CollectionRecord<string> item = (await shop.GetAsync(key))!;
    item.Attributes["in_stock"] = false;
    await shop.UpsertAsync(key, item.GetVector<float>(), item.Attributes, item.Payload.Span);
}

static void Print(string title, IEnumerable<CollectionHit<string>> hits)
{
    Console.WriteLine($"\n{title}");
    foreach (CollectionHit<string> hit in hits)
    {
        AttributeSet item = hit.Attributes!;
        Console.WriteLine($"  {hit.Score:F3}  {hit.Key,-10} {item["brand"],-6} {item["price"],7}  {item["tags"]}");
    }
}

// Stands in for a model: items of a tag lie in one direction.
float[] Embedding(int tag) => [.. Enumerable.Range(0, Dimension).Select(at => random.NextSingle() + (at % tags.Length == tag ? 1 : 0))];
