"""English."""

# ruff: noqa: E501 - a rule is one line
from __future__ import annotations

from recalld.recall.time_window.language import COUPLE, FEW, SEVERAL, Language, named, numbered
from recalld.recall.time_window.languages.en_words import FRAGMENTS, HOLIDAYS, NUMBERS, ORDINALS
from recalld.recall.time_window.languages.numeric import NUMERIC_ROWS

_ROWS = (
    (
        "never",
        r"(?:every|each|any|per|some) (?:other )?(?:<unit>|<weekday>|<month>|<season>|morning|evening|night)",
    ),
    ("never", r"<n> <unit> (?:a|per|each|every) <unit2>"),
    ("never", r"(?:second|next|third) to last <unit>"),
    ("day 0", r"today"),
    ("day? 0", r"(?:right )?now|date(?= ?[?.!]*\Z)|(?:the )?current date"),
    ("day -1", r"yesterday"),
    ("day 1", r"tomorrow|tmrw?"),
    ("day -2", r"(?:the )?day before yesterday"),
    ("day 2", r"(?:the )?day after tomorrow"),
    ("day 0 night", r"tonight"),
    ("day -1 night", r"last night|yesterday night"),
    ("day -1 evening", r"last evening"),
    ("day 0 morning", r"this morning"),
    ("day 0 afternoon", r"this afternoon"),
    ("day 0 evening", r"this evening"),
    ("ago -1", r"<n>[ -]?(?:of )?<unit><more> (?:ago|back|earlier)"),
    ("ago -1 6 month", r"half a year ago"),
    ("ago -1 18 month", r"(?:(?:a|one) year and a half|one and a half years) ago"),
    ("rolling 1", r"within (?:the next )?<n> <unit><clean>"),
    ("rolling -1", r"(?:less than|within) <n> <unit> ago"),
    ("ago 1", r"in <n> (?:of )?<unit>(?:'s?)?(?: time)?<clean>"),
    ("ago 1", r"<n> <unit>(?:'s?)? (?:from now|later|ahead|hence|from today)"),
    ("rolling -1", r"<mine>(?:the )?(?:<last>|past) <n> (?:of )?<unit><more>"),
    ("rolling -1", r"<mine>(?:the )?<n> (?:last|past|previous) <unit>"),
    (
        "rolling 1",
        r"(?:the )?<next> <n> (?:of )?<unit>|(?:the )?<n> (?:next|coming|upcoming|following) <unit>",
    ),
    ("rolling -1", r"(?:over|in|during|within|for|throughout|across) the (?:last|previous) <span><not_of>"),
    ("rolling -1", r"(?:the |this )?past <span>"),
    ("rolling -1", r"over (?:last|past) <span>"),
    ("calendar -1", r"<mine>(?:the )?<last> (?:calendar )?<unit><not_of>"),
    ("calendar -1", r"(?:the )?past (?P<unit>quarter|weekend)"),
    ("calendar 0", r"<this> (?:calendar |past )?<unit><not_of>"),
    ("calendar 1", r"(?:the )?<next> (?:calendar )?<unit><not_of>"),
    ("calendar -2", r"(?:the )?<unit> before last"),
    ("calendar 2", r"(?:the )?<unit> after next"),
    ("calendar 0 weekend", r"(?:on|at) the weekend"),
    ("calendar -1 weekend", r"(?:over|during) the weekend"),
    ("rest -1", r"(?:earlier|early) (?:this|in the) <unit>"),
    ("rest 0", r"<unit>[ -]to[ -]date|this <unit> so far|so far this <unit>"),
    ("rest 0 year", r"ytd"),
    ("rest 0 month", r"mtd"),
    ("rest 1", r"(?:the )?(?:rest|remainder) of (?:the|this|my) <unit>"),
    ("running? 0", r"(?:the )?(?P<unit>week|month|quarter|year)<clean>"),
    ("rest 1", r"(?:later|late) (?:this|in the) <unit>"),
    ("weekday", r"(?:on )?<full_weekday>"),
    ("weekday? 0", r"<weekday>(?=\s*(?:\Z|[?.!,;:)-]|morning|afternoon|evening|night|to|and|until|through))"),
    ("weekday -1", r"(?:on )?(?:last|past|this past|previous) <weekday><clean>"),
    ("weekday 1", r"(?:on )?<next> <weekday><clean>"),
    ("weekday 2", r"(?:on )?this <weekday><clean>"),
    (
        "weekday_in_week -1",
        r"<weekday>,? (?:of |in )?(?:the )?<last> week|<last> week(?: on|'s| -)? <weekday>",
    ),
    ("weekday_in_week 0", r"<weekday>,? (?:of |in )?this week|this week(?: on|'s| -)? <weekday>"),
    (
        "weekday_in_week 1",
        r"<weekday>,? (?:of |in )?(?:the )?<next> week|<next> week(?: on|'s| -)? <weekday>",
    ),
    ("weekday_in_week -1", r"<weekday>,? <n> <unit> ago"),
    ("weekday_in_week 1", r"<weekday>,? <n> <unit> from (?:now|today)"),
    (
        "weekday_date",
        r"(?:on )?<full_weekday>,? (?:the )?<day>|(?:on )?<weekday>,? (?:the )?(?=\d+(?:st|nd|rd|th))<day>",
    ),
    (
        "month",
        r"<month><of><year><no_quantity>|<year>[,-]? ?<month>|<month> '(?P<year>\d\d)|<month>-(?P<year>\d{4})",
    ),
    ("never", r"<month>,? ?(?:of )?\d{4}"),
    ("month", r"<sure_month_name>"),
    ("month?", r"<month><clean>"),
    ("month", r"(?:in|during|throughout|within) (?:the month of )?<month>(?!\s*'s)|month of <month>"),
    ("month -1", r"(?:last|previous|this past) <month><clean>"),
    ("month 1", r"<next> <month><clean>"),
    ("month? 2", r"this <month><clean>"),
    ("date 0 -1", r"<month> (?:the )?<day>,? (?:of )?last year|<day>(?: of)? <month>,? (?:of )?last year"),
    ("date 0 0", r"<month> (?:the )?<day>,? (?:of )?this year|<day>(?: of)? <month>,? (?:of )?this year"),
    ("date 0 1", r"<month> (?:the )?<day>,? (?:of )?next year|<day>(?: of)? <month>,? (?:of )?next year"),
    ("month 0 -1", r"<month>,? (?:of )?last year"),
    ("month 0 0", r"<month>,? (?:of )?this year"),
    ("month 0 1", r"<month>,? (?:of )?next year"),
    ("months", r"(?<!this )(?<!last )(?<!next )<month> ?(?:-|to|through|until|till) ?<month2><of><year>"),
    ("date", r"<month>[ ,./-]{0,3}(?:the )?<day><no_quantity>"),
    ("date", r"(?:the )?<not_money><day>[ -]?(?: of |/)?(?: )?<month><clean>"),
    (
        "date",
        r"<month>[ ,./-]{0,3}(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: ?[,/-]? ?|,? (?:of|in) )(?P<year>\d{4})(?![-/.]?\d)",
    ),
    ("date", r"<month>[ ,./-]{0,3}(?:the )?<day>(?:,? ?|,? (?:of|in) )<year>"),
    ("never", r"<month> \d{1,2}(?:st|nd|rd|th)?,? \d{4}"),
    ("date", r"(?:the )?<day>(?: day)?(?: of |[ /-])?(?: )?<month>(?:[ ,/-]{0,3}|,? of |,? in )<year>"),
    ("date", r"(?:the )?<not_money><day>(?: of | )?<month>(?:,? of | ,?)?'?(?P<year>\d\d)(?!\d)"),
    ("date", r"(?P<year>\d{4})[ /-]<month>[ /-](?P<day>\d{1,2})|<month>-(?P<year>\d{4})-(?P<day>\d{1,2})"),
    ("date", r"(?P<day>\d{1,2})-(?P<year>\d{4})-<month>"),
    (
        "date",
        r"(?P<day>(?:twenty|thirty)[ -](?:one|two|three|four|five|six|seven|eight|nine)) (?:of )?<month>,? <year>",
    ),
    ("date -1", r"last <month> <day>"),
    ("date 1", r"next <month> <day>"),
    (
        "days",
        r"<month> (?:the )?<day> ?(?:-|to|and|through|until|till) ?(?:the )?<day2>(?:,? (?:of |in )?<year>)?",
    ),
    (
        "days before",
        r"(?:from |between )?(?:the )?<day> ?(?:-|to|and|through|until|till) ?(?:the )?<day2>(?: of)? <month>(?:,? (?:of |in )?<year>)?",
    ),
    ("day_of_month", r"(?:on |around |by )?the (?=\d+(?:st|nd|rd|th))<day><clean>"),
    ("day_of_month?", r"(?:the )?(?=\d+(?:st|nd|rd|th)|[a-z])<day><clean>"),
    ("day_of_month -1", r"(?:the )?<day>(?: day)? of last month"),
    ("day_of_month 0", r"(?:the )?<day>(?: day)? of this month"),
    ("day_of_month 1", r"(?:the )?<day>(?: day)? of next month"),
    ("day_of_month 1", r"next month(?:'s)?,? (?:on )?(?:the )?(?=\d+(?:st|nd|rd|th))<day>"),
    (
        "days_in_month -1",
        r"(?:the )?<day> ?(?:-|to|and|through|until|till) ?(?:the )?<day2>(?: of)? last month",
    ),
    (
        "days_in_month 0",
        r"(?:the )?<day> ?(?:-|to|and|through|until|till) ?(?:the )?<day2>(?: of)? this month",
    ),
    (
        "days_in_month 1",
        r"(?:the )?<day> ?(?:-|to|and|through|until|till) ?(?:the )?<day2>(?: of)? next month",
    ),
    (
        "numeric",
        r"(?:on |(?:(?:next|this|last) )?<weekday>,? )(?P<one>\d{1,2})[/-](?P<two>\d{1,2})(?![/\d-])",
    ),
    ("numeric 1", r"next (?P<one>\d{1,2})/(?P<two>\d{1,2})(?![/\d])"),
    ("numeric 2", r"this (?P<one>\d{1,2})/(?P<two>\d{1,2})(?![/\d])"),
    ("decade", r"(?:in |during )?(?:the )?(?P<decade>(?:19|20)\d0) ?'?s"),
    ("decade", r"the '?(?P<decade>[2-9]0)'?s|(?<!\w)'(?P<decade>[2-9]0)s"),
    ("decade", r"(?:(?<=early )|(?<=mid )|(?<=late )|(?<=early-)|(?<=mid-)|(?<=late-))(?P<decade>[2-9]0)'?s"),
    ("decade 1920", r"the (?:nineteen[ -])?twenties"),
    ("decade 1930", r"the (?:nineteen[ -])?thirties"),
    ("decade 1940", r"the (?:nineteen[ -])?forties"),
    ("decade 1950", r"the (?:nineteen[ -])?fifties"),
    ("decade 1960", r"the (?:nineteen[ -])?sixties"),
    ("decade 1970", r"the (?:nineteen[ -])?seventies"),
    ("decade 1980", r"the (?:nineteen[ -])?eighties"),
    ("decade 1990", r"the (?:nineteen[ -])?nineties"),
    ("decade 2000", r"the (?:noughties|two thousands)"),
    ("decade 2010", r"the (?:twenty )?tens"),
    ("century", r"(?:the )?(?P<ordinal>20th|21st|twentieth|twenty[ -]first) century"),
    ("quarter", r"q(?P<ordinal>[1-4])<of><year>|(?P<year>\d{4})[ -]?q(?P<ordinal>[1-4])"),
    ("quarter?", r"q(?P<ordinal>[1-4])<clean>"),
    (
        "quarter -1",
        r"(?:q(?P<ordinal>[1-4])|the (?P<ordinal>first|second|third|fourth) quarter),? (?:of )?last year",
    ),
    (
        "quarter 0",
        r"(?:q(?P<ordinal>[1-4])|the (?P<ordinal>first|second|third|fourth) quarter),? (?:of )?this year",
    ),
    (
        "quarter 1",
        r"(?:q(?P<ordinal>[1-4])|the (?P<ordinal>first|second|third|fourth) quarter),? (?:of )?next year",
    ),
    ("half", r"h(?P<ordinal>[12])<of><year>|(?P<year>\d{4})[ -]?h(?P<ordinal>[12])"),
    ("season", r"<season><of><year>|<year> <season>"),
    ("season 0", r"(?:in|during|over|throughout) (?:the )?<season><clean>"),
    ("season -1", r"(?:last|previous|this past|the past) <season><clean>"),
    ("season 1", r"<next> <season><clean>"),
    ("season 2", r"this <season><clean>"),
    ("season 0 -1", r"<season> (?:of )?last year"),
    ("season 0 0", r"<season> (?:of )?this year"),
    ("season 0 1", r"<season> (?:of )?next year"),
    ("holiday", r"<holiday>(?: of| in|,)? <year>(?P<weekend> weekend)?"),
    (
        "holiday",
        r"(?=\S+(?: \S+)?(?: day| eve)\b)<holiday>(?P<weekend> weekend)?(?! (?:tree|gift|dinner|card|party)s?)",
    ),
    ("holiday?", r"<holiday>(?P<weekend> weekend)?<clean>"),
    ("holiday -1", r"(?:last|previous|this past) <holiday>"),
    ("holiday 1", r"(?:the )?next <holiday>"),
    ("holiday 2", r"this <holiday>"),
    ("numbered_week", r"week (?P<number>\d{1,2})<of><year>"),
    ("numbered_week", r"(?:in|during) (?:the )?week (?P<number>\d{1,2})"),
    *NUMERIC_ROWS,
    ("year", r"(?:in|during|throughout|for the year|calendar year|cy) (?:the year )?<year><no_quantity>"),
    ("year", r"(?:in|since|before|after|of) '(?P<year>\d\d)"),
    ("year", r"cy ?(?P<year>\d\d)"),
    ("year", r"(?<!school )(?<!fiscal )(?<!academic )(?:the )?year(?: of)? <year>|<year> year"),
)

_INNER = (
    ("introduce", r"(?:on|from|as of|by|sometime|dated|at|for|over)(?: the)?"),
    ("introduce year", r"(?:of|between|from|by|as of)(?: the)?"),
    ("introduce holiday", r"(?:during|in)"),
    (
        "third 0",
        r"(?:in |at |from )?(?:the )?(?:very )?(?:early|beginning|beginning of|start of|early in|earlier in)(?: the)?",
    ),
    ("third 1", r"(?:in |at |from )?(?:the )?(?:mid|middle|middle of)(?: the)?"),
    (
        "third 2",
        r"(?:in |at |from |towards |toward |by )?(?:the )?(?:very )?(?:late|end of|close of|late in|later in)(?: the)?",
    ),
    ("half_of 1", r"(?:in |during )?(?:the )?first half of(?: the)?"),
    ("half_of 2", r"(?:in |during )?(?:the )?(?:second|last|latter) half of(?: the)?"),
    ("nth", r"(?:in |during |on )?(?:the )?<ordinal>(?: <n>)? <unit> (?:of|in)(?: the)?"),
    ("nth_weekday", r"(?:on )?(?:the )?<ordinal> <weekday> (?:of|in)(?: the)?"),
    ("week_of of", r"(?:in |during )?(?:the )?week of"),
    ("week_of from", r"(?:the |a )?(?:week (?:starting|commencing|beginning|from)(?: on)?|w/c)"),
    ("span_from", r"for <n> <unit>,? (?:from|starting|starting from|beginning)"),
    ("offset -1", r"(?:just |about )?<n> <unit> (?:before|prior to|ahead of)(?: the)?"),
    ("offset 1", r"(?:just |about )?<n> <unit> (?:after|from|since|following|later than)(?: the)?"),
    ("beside -1", r"(?:in |during |on )?(?:the |last )?<unit> (?:before|prior to|preceding)(?: the)?"),
    ("beside 1", r"(?:in |during |on )?(?:the |first )?<unit> (?:after|following)(?: the)?"),
    ("around", r"(?:on or )?(?:around|approximately|roughly|circa)(?: the)?"),
    ("around ago", r"(?:about|some|nearly|almost)"),
    ("part morning", r"(?:on |in )?the morning of"),
    ("part afternoon", r"(?:on |in )?the afternoon of"),
    ("part evening", r"(?:on |in )?the evening of"),
    ("part night", r"(?:on |in )?the night of"),
)

_OUTER = (
    (
        "since",
        r"(?:ever )?since(?: the)?|after|starting(?: from)?|beginning|(?:any time|anytime|later) (?:after|than)",
    ),
    ("before", r"before|prior to|until|till|up to|up until|earlier than|no later than"),
)

_SUFFIXES = (
    ("part morning", r"(?:in the |early )?morning"),
    ("part afternoon", r"(?:in the )?afternoon"),
    ("part evening", r"(?:in the )?evening"),
    ("part night", r"(?:at )?night"),
    ("clock", r"at (?P<hour>1[0-2]|0?[1-9])(?::[0-5]\d)? ?(?P<half>[ap])\.?m\.?"),
    ("clock", r"at (?P<hour>[01]?\d|2[0-3]):[0-5]\d"),
    ("around", r"or so"),
    ("since", r"onwards?|and later|or later"),
    ("before", r"and earlier|or earlier"),
)

ENGLISH = Language(
    code="en",
    numbers=NUMBERS | {"hundred": 100, "thousand": 1000, "million": 1_000_000},
    amounts={
        "a couple of": COUPLE,
        "a couple": COUPLE,
        "couple of": COUPLE,
        "couple": COUPLE,
        "a few": FEW,
        "few": FEW,
        "several": SEVERAL,
    },
    units=named(
        day="day days",
        week="week weeks wk wks",
        month="month months mon mos",
        year="year years yr yrs",
        weekend="weekend weekends",
        workweek="workweek work_week working_week",
        business_day="business_day business_days working_day working_days",
        quarter="quarter quarters",
        decade="decade decades",
        century="century centuries",
        fortnight="fortnight fortnights",
        hour="hour hours hr hrs",
        minute="minute minutes min mins",
    ),
    months=numbered(
        "january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept, "
        "october oct, november nov, december dec"
    ),
    weekdays=numbered(
        "monday mon, tuesday tue tues, wednesday wed weds, thursday thu thur thurs, friday fri, saturday sat, "
        "sunday sun",
        first=0,
    ),
    seasons=named(
        spring="spring springtime", summer="summer summertime", autumn="autumn fall", winter="winter"
    ),
    holidays=HOLIDAYS,
    ordinals=ORDINALS,
    fragments=FRAGMENTS,
    rows=_ROWS,
    inner=_INNER,
    outer=_OUTER,
    suffixes=_SUFFIXES,
    range_words=r"(?:to|until|till|til|through|thru|up to)(?: the| on)?",
    list_words=r"(?:and|or)(?: the| on| in)?",
    range_openers=r"(?:between|from)(?: the)?",
    cues=(
        "cy ytd mtd tmr tmrw yesterday today tonight tomorrow ago now christmas xmas easter halloween thanksgiving valentine valentines "
        "eve nye juneteenth nineties eighties seventies sixties fifties forties thirties twenties noughties century "
        "fortnight fools night morning afternoon evening"
    ),
    openers=(
        "first second third fourth half rest remainder end beginning middle start date far less new last this next past previous following coming upcoming current preceding in on over within every each "
        "earlier later early late few couple several weekend "
        "veterans veteran mother mothers father fathers memorial labor labour independence presidents columbus boxing "
        "workers patrick earth king mlk president"
    ),
    introducers=(
        "in on during since before after between from of year until till to by the through around about class "
        "throughout within as cy at and early mid late end start beginning middle"
    ),
)
